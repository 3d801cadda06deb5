# Completion of assay for fish: assay completion fish | source
function __assay_complete
    set -l words (commandline -opc)
    set -l found (command $words[1] complete -- $words[2..-1] (commandline -ct) 2>/dev/null)
    if test (count $found) -gt 0
        printf '%s\n' $found
    else
        __fish_complete_path (commandline -ct)
    end
end
complete -c assay -f -a '(__assay_complete)'
