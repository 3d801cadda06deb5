#compdef assay
# Completion of assay for zsh: source <(assay completion zsh), after compinit
_assay() {
    local -a found
    found=("${(@f)$("${words[1]}" complete -- "${(@Q)words[2,CURRENT-1]}" "${(Q)PREFIX}" 2>/dev/null)}")
    if [[ -z "${found[1]}" ]]; then
        compset -P '*='
        _files
        return
    fi
    compadd -S '' -- "${(@M)found:#*[.=]}"
    compadd -- "${(@)found:#*[.=]}"
}
if [[ "${funcstack[1]}" == _assay ]]; then
    _assay "$@"
else
    compdef _assay assay
fi
