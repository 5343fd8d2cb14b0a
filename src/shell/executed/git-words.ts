// Words of git by which it runs, applies or keeps as settings what they name.
import { splitWords } from './source-finder.ts'

/** Subcommands whose operands are such words. */
const RUNNING_COMMANDS: ReadonlySet<string> = new Set(
  splitWords('bisect submodule filter-branch config am apply difftool mergetool send-email hook interpret-trailers')
)
/** Options with such a value, of any subcommand. */
const RUNNING_OPTIONS: readonly string[] = splitWords(
  '-x --exec --upload-pack --receive-pack --extcmd --open-files-in-pager --config --config-env --exec-path --to-cmd --cc-cmd ' +
    '--header-cmd --sendmail-cmd --smtp-server --httpd --setup --env-filter --tree-filter --index-filter --parent-filter ' +
    '--msg-filter --commit-filter --tag-name-filter --git-dir --template'
)
/** Subcommands for which `-u` names a program. */
const FETCHING_COMMANDS: ReadonlySet<string> = new Set(splitWords('clone fetch pull ls-remote fetch-pack'))
/** Options before the subcommand that have a value in the next word. */
const VALUED_BEFORE = /^(?:-C|-c|--git-dir|--work-tree|--namespace|--exec-path|--config-env|--super-prefix)$/

/** Returns the words that may name a file that git executes or applies. */
export function findGitWords(args: readonly string[]): string[] {
  const at = args.findIndex((arg, i) => !arg.startsWith('-') && !VALUED_BEFORE.test(args[i - 1] ?? ''))
  const command = at < 0 ? '' : args[at]!
  const rest = at < 0 ? [] : args.slice(at + 1)
  return [
    ...args.flatMap((arg, i) => (args[i - 1] === '-c' && i <= at ? [arg] : [])),
    ...(RUNNING_COMMANDS.has(command) ? rest : []),
    ...args.flatMap((arg, i) => {
      const [name = '', value = args[i + 1] ?? ''] = arg.split('=')
      // Its subcommands, and a repository with its configuration, are found in these folders.
      if (name === '--exec-path') return [`${value}/git-${command}`]
      return name === '--git-dir' ? [`${value}/config`] : []
    }),
    // A transport such as `ext::` runs a program.
    ...args.filter(arg => arg.includes('::')),
    ...args.flatMap((arg, i) => {
      const option = arg.split('=')[0]!
      const isNamed =
        RUNNING_OPTIONS.some(name => name === option || (option.length > 4 && name.startsWith(option))) ||
        (option === '-u' && FETCHING_COMMANDS.has(command))
      if (isNamed) return arg.includes('=') ? [arg.slice(option.length + 1)] : (args[i + 1] ?? [])
      return /^-[Oxu]./.test(arg) ? [arg.slice(2)] : []
    })
  ]
}
