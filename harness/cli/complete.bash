# Completion of assay for bash: source <(assay completion bash)
_assay() {
    local line=${COMP_LINE:0:COMP_POINT} word
    local -a words
    # The words as the command gets them; bash also splits COMP_WORDS at = and :.
    read -ra words <<<"$line"
    [[ $line == *[[:space:]] ]] && words+=('')
    words=("${words[@]#[\'\"]}")
    mapfile -t COMPREPLY < <("${words[0]}" complete -- "${words[@]:1}" 2>/dev/null)
    # Bash keeps the part up to the last = or :, so it must not be repeated.
    word=${words[-1]}
    COMPREPLY=("${COMPREPLY[@]#"${word%"${word##*[=:]}"}"}")
    [[ ${COMPREPLY[0]-} == *[.=] ]] && compopt -o nospace 2>/dev/null
    return 0
}
complete -o default -F _assay assay
