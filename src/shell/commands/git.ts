// git: its commands that only read, those that destroy, and the flags by which any of them runs programs.

import { asks, type Finding, listed, type Program, pathLike, reads, strictly, unknownFlag } from './classification.ts'
import { flags, given } from './parse-arguments.ts'
import { CREATES, GIT_READS, PUBLIC_KEYS } from './read-only-git-commands.ts'
import { ALWAYS_STRICT, has, isFlag, RUNS, SIGNATURE, STRICT_WHEN, TRANSPORTS } from './strict-git-commands.ts'

const READS = 'It only reads the repository.'

/** Flags before the command. */
const BEFORE = flags('-P -C: --no-pager --no-optional-locks --literal-pathspecs --icase-pathspecs --no-replace-objects')

/** What an "always" may name: those that do what they say, whatever their arguments are. */
const REMEMBERED = new Set([
  'add',
  'commit',
  'fetch',
  'pull',
  'switch',
  'merge',
  'branch',
  'tag',
  'stash',
  'mv',
  'init'
])

/** What cannot be done without writing to the repository's own folder, where it is more than looking. */
const WRITES = new Set(
  'add am branch checkout cherry-pick commit fetch gc init merge mv notes prune pull rebase reset restore revert rm stash switch tag update-ref worktree'.split(
    ' '
  )
)

export const git: Program = args => {
  const at = args.findIndex((arg, i) => !arg.startsWith('-') && args[i - 1] !== '-C' && args[i - 1] !== '-c')
  const before = given(BEFORE, at < 0 ? args : args.slice(0, at))
  const elsewhere =
    at < 0 ? [] : args.slice(0, at).flatMap((arg, i) => (arg === '-C' ? [listed(args[i + 1] ?? '..')] : []))
  if (at < 0)
    return before.flags.has('--version') && args.length === 1
      ? reads([])
      : strictly('It runs what git is told by its flags.')
  if (before.unknown !== undefined)
    return strictly(`With ${before.unknown} git may run programs or use another repository.`)
  const command = args[at]!
  const rest = args.slice(at + 1)
  const judged = ofCommand(command, rest)
  const found: Finding = judged.class !== 'auto' && WRITES.has(command) ? { ...judged, writes_git: true } : judged
  if (elsewhere.length === 0) return found
  const { prefix: _, ...kept } =
    found.class === 'auto' ? asks('It reads another repository.', { touches: true }) : found
  return { ...kept, operands: [...elsewhere, ...(found.operands ?? [])] }
}

function ofCommand(command: string, args: readonly string[]): Finding {
  const reader = Object.hasOwn(GIT_READS, command) ? GIT_READS[command] : undefined
  const when = Object.hasOwn(STRICT_WHEN, command) ? STRICT_WHEN[command] : undefined
  if (Object.hasOwn(ALWAYS_STRICT, command)) {
    const dry = command === 'clean' && has('-n', '--dry-run')(args) && !has('-f', '--force')(args)
    const staged = command === 'restore' && has('--staged', '-S')(args) && !has('--worktree', '-W')(args)
    return dry || staged ? asks('It changes no file.', { touches: true }) : strictly(ALWAYS_STRICT[command]!)
  }
  if (when?.when(args)) return strictly(when.reason)
  if (args.some(arg => isFlag(arg, '--help'))) return strictly('It opens a manual by whatever program is configured.')
  if (args.some(arg => SIGNATURE.test(arg) || TRANSPORTS.test(arg)))
    return strictly('Git would run a program for one of its arguments.')
  const ends = args.indexOf('--')
  const options = ends < 0 ? args : args.slice(0, ends)
  const seen = reader && given(reader.flags, args)
  if (seen && seen.unknown === undefined) {
    const hindered = command === 'config' ? undefined : reader.unless?.(seen)
    if (hindered) return REMEMBERED.has(command) ? { ...hindered, prefix: [command] } : hindered
    if (command === 'config') return configured(args)
    return { ...reads(reader.operands(seen), READS), configured: true }
  }
  const running = options.find(arg => RUNS.some(flag => isFlag(arg, flag)))
  if (running !== undefined) return strictly(`With ${running} git may run programs or touch other files.`)
  if (options.includes('-c') || (options.includes('-u') && ['clone', 'fetch', 'ls-remote', 'pull'].includes(command)))
    return strictly('Its flags name a program or a setting.')
  if (command === 'config') return strictly('It may change what git runs, or show credentials.')
  if (command === 'branch' || command === 'tag' || command === 'stash') return { ...CREATES, prefix: [command] }
  if (seen?.unknown !== undefined) return unknownFlag(seen.unknown)
  if (command === 'ls-remote')
    return asks('It asks another repository, by the network perhaps.', { operands: args.flatMap(pathLike) })
  return asks('It changes the repository, and may run its hooks.', {
    operands: args.flatMap(pathLike),
    ...(REMEMBERED.has(command) && { prefix: [command] })
  })
}

/** One setting of those that hold neither programs nor credentials. */
function configured(args: readonly string[]): Finding {
  const words = args.filter(arg => !arg.startsWith('-'))
  const [key, ...more] = words[0] === 'get' ? words.slice(1) : words
  return key !== undefined && more.length === 0 && PUBLIC_KEYS.test(key)
    ? reads([], READS)
    : strictly('It may change what git runs, or show credentials.')
}
