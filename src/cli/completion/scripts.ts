// Completion scripts by shell. The line is never evaluated: it is passed as text, including quotes. Values are inserted quoted;
// zsh and fish do so by themselves. `toolgate complete` prints one value per line, with its description after a tab, or :files or
// :folders.

const BASH = String.raw`# bash completion for toolgate
_toolgate() {
  local line value
  COMPREPLY=()
  while IFS= read -r line; do
    case $line in
      :files) compopt -o default 2>/dev/null ;;
      :folders) compopt -o dirnames 2>/dev/null ;;
      ?*)
        value=${'$'}{line%%$'\t'*}
        COMPREPLY+=("$(printf %q "$value")")
        [[ $value == *= ]] && compopt -o nospace 2>/dev/null
        ;;
    esac
  done < <(toolgate complete bash -- "${'$'}{COMP_LINE:0:COMP_POINT}" 2>/dev/null)
}
complete -F _toolgate toolgate
`

const ZSH = String.raw`#compdef toolgate
# zsh completion for toolgate
_toolgate() {
  local line value
  local -a described open
  while IFS= read -r line; do
    case $line in
      :files) _files; return ;;
      :folders) _files -/; return ;;
      ?*)
        value=${'$'}{line%%$'\t'*}
        if [[ $value == *= ]]; then open+=("$value")
        else
          value=${'$'}{value//\\/\\\\}
          described+=("${'$'}{value//:/\\:}:${'$'}{line#*$'\t'}")
        fi
        ;;
    esac
  done < <(toolgate complete zsh -- "${'$'}{(@)words[2,CURRENT]}" 2>/dev/null)
  (( $#open )) && compadd -S '' -a open
  (( $#described )) && _describe toolgate described
}
if [ "$funcstack[1]" = "_toolgate" ]; then _toolgate "$@"; else compdef _toolgate toolgate; fi
`

const FISH = `# fish completion for toolgate
function __toolgate_complete
    set -l before (commandline -opc)
    set -l now (commandline -ct)
    for line in (toolgate complete fish -- $before[2..-1] "$now" 2>/dev/null)
        switch $line
            case :files
                __fish_complete_path "$now"
            case :folders
                __fish_complete_directories "$now"
            case '*'
                echo $line
        end
    end
end
complete -c toolgate -f -a '(__toolgate_complete)'
`

export const COMPLETION_SCRIPTS: Readonly<Record<string, string>> = { bash: BASH, zsh: ZSH, fish: FISH }
