// What can be said of a shell command without understanding the shell: which are never right, and the argv of those so
// plain that no shell could read them otherwise. Everything between is for a person to judge.

/** Words without any character that a shell gives a meaning to. */
const PLAIN_WORD = /^[A-Za-z0-9_./:@%+,=-]+$/
const ASSIGNMENT = /^[A-Za-z_][A-Za-z0-9_]*\+?=/

/** The argv of a plainly literal command; undefined where anything in it could mean more than it says. */
export function plainArgv(command: string): string[] | undefined {
  const words = command.split(/[ \t]+/)
  if (words[0] === '') words.shift()
  if (words.at(-1) === '') words.pop()
  if (words.length === 0) return undefined
  if (words.some(word => !PLAIN_WORD.test(word)) || ASSIGNMENT.test(words[0]!)) return undefined
  return words
}

/** Whether a text reads otherwise than it runs: controls but tab and newline, text directions, what does not show. */
export const misleads = (command: string) => MISLEADING.test(command)

const MISLEADING = /[^\P{Cc}\t\n]|[^\P{Zs} ]|[\p{Cf}\p{Cs}\p{Zl}\p{Zp}\p{Default_Ignorable_Code_Point}\u2800]/u

const LONGEST = 65_536
const DEVICE = '/dev/(?:sd|hd|vd|xvd|nvme|mmcblk|dm-|md|loop|mapper/|disk/)'
const BLOCK_DEVICE = new RegExp(`^${DEVICE}`)
const INTO_BLOCK_DEVICE = new RegExp(`>[|&]?\\s*["']?${DEVICE}`)
const NETWORK_SHELL = /[<>]&?\s*["']?\/dev\/(?:tcp|udp)\//
/** A function that pipes itself into itself in the background. Bounded, so that no text makes it slow. */
const FORK_BOMB = /([A-Za-z_.:][\w.:]{0,40})\s{0,9}\(\s{0,9}\)\s{0,9}\{\s{0,9}\1\s{0,9}\|\s{0,9}\1\s{0,9}&/
/** Folders whose removal ends the machine or the user's work. */
const ROOTS = /^(?:~|\$HOME|\$\{HOME\}|\/(?:home|Users|etc|usr|var|boot|s?bin|lib|root|opt|dev)|\.\.)$/
/** What runs the words after it. */
const RUNNERS =
  /^(?:sudo|doas|su|env|nice|ionice|nohup|time|timeout|setsid|stdbuf|exec|command|builtin|eval|xargs|busybox|if|then|else|elif|do|while|until|!|\{|(?:ba|da|z|k|fi)?sh)$/
const FIND_RUNS = /^-(?:exec|ok)(?:dir)?$/

interface Refusal {
  why: string
  /** Sees one simple command: a program without its folder, and its words with quotes taken off. */
  holds(program: string, words: readonly string[]): boolean
}

const NEVER: Refusal[] = [
  {
    why: 'it would remove a system or home folder whole',
    holds: (program, words) => program === 'rm' && words.some(isRecursive) && words.some(isRoot)
  },
  {
    why: 'it would write to a block device',
    holds: (program, words) =>
      (program === 'dd' && words.some(word => word.startsWith('of=') && BLOCK_DEVICE.test(word.slice(3)))) ||
      (/^(?:mkfs(?:\.\w+)?|wipefs|blkdiscard|shred|tee)$/.test(program) && words.some(isBlockDevice)) ||
      (/^(?:fdisk|sfdisk|parted)$/.test(program) && !words.includes('-l') && words.some(isBlockDevice)) ||
      (/^(?:cp|mv)$/.test(program) && isBlockDevice(words.at(-1) ?? ''))
  },
  {
    why: 'it would stop or restart the machine',
    holds: program => /^(?:reboot|shutdown|poweroff|halt)$/.test(program)
  }
]

/** Why the command is never run, approved or not; undefined for all others. */
export function refusal(command: string): string | undefined {
  if (command.length > LONGEST) return `it is longer than ${LONGEST} characters`
  const text = command.replaceAll('\\\n', '')
  if (FORK_BOMB.test(text)) return 'it is a fork bomb'
  if (INTO_BLOCK_DEVICE.test(text)) return 'it would write to a block device'
  if (NETWORK_SHELL.test(text)) return 'it would hand a shell to the network'
  for (const part of text.split(/[;|&\n()`]/)) {
    const words = part
      .trim()
      .split(/\s+/)
      .map(word => word.replaceAll(/\$?['"]|\\/g, ''))
    for (const at of programs(words)) {
      const found = NEVER.find(({ holds }) => holds(basename(words[at]!), words.slice(at + 1)))
      if (found) return found.why
    }
  }
  return undefined
}

/** Where in a simple command a program may be named: first, and after what runs another. Rather one place too many. */
function programs(words: readonly string[]): number[] {
  const found: number[] = []
  let expected = true
  for (const [at, word] of words.entries()) {
    if (FIND_RUNS.test(word)) expected = true
    if (!expected || isAside(word) || RUNNERS.test(basename(word))) continue
    if (found.push(at) === MOST_PROGRAMS) break
    // It may have been the value of an option such as `-u root`.
    expected = /^-[abd-zA-Z]$/.test(words[at - 1] ?? '')
  }
  return found
}

const MOST_PROGRAMS = 32

/** An option, assignment or duration, which stands before the program that a runner runs. */
const isAside = (word: string) => word.startsWith('-') || ASSIGNMENT.test(word) || /^[0-9.]+[smhd]?$/.test(word)
const basename = (word: string) => word.slice(word.lastIndexOf('/') + 1)
const isRecursive = (word: string) => word === '--recursive' || /^-[A-Za-z]*[rR]/.test(word)
const isBlockDevice = (word: string) => BLOCK_DEVICE.test(word)
/** `/`, `//`, `/*`, `~/`, `/home/.` and the like; a bare `*` or name is the workspace's own affair. */
function isRoot(word: string) {
  const bare = word
    .replace(/\/\*$/, '/')
    .replaceAll(/\/{2,}/g, '/')
    .replaceAll(/\/\.(?=\/|$)/g, '')
    .replace(/^(?:\/\.\.)+(?=\/|$)/, '')
    .replace(/\/$/, '')
  return bare === '' ? word.startsWith('/') : ROOTS.test(bare)
}
