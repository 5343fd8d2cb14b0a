// What can be said of a shell command without understanding the shell: which are never right, and the argv of those so
// plain that no shell could read them otherwise. Everything between is for a person to judge.

/** Words without any character that a shell gives a meaning to. */
const PLAIN_WORD = /^[A-Za-z0-9_./:@%+,=-]+$/
const ASSIGNMENT = /^[A-Za-z_][A-Za-z0-9_]*\+?=/

/** The argv of a plainly literal command; undefined where anything in it could mean more than it says. */
export function plainArgv(command: string): string[] | undefined {
  const words = command.trim().split(/[ \t]+/)
  if (words.some(word => !PLAIN_WORD.test(word)) || ASSIGNMENT.test(words[0]!)) return undefined
  return words
}

/** Characters that make a text read otherwise than it runs: controls but tab and newline, text directions, invisible ones. */
export const misleads = (command: string) =>
  [...command].some(character => {
    const code = character.codePointAt(0)!
    return MISLEADING.some(([from, to]) => code >= from && code <= to)
  })

const MISLEADING = [
  [0x00, 0x08],
  [0x0b, 0x1f],
  [0x7f, 0x9f],
  [0xa0, 0xa0],
  [0x61c, 0x61c],
  [0x2000, 0x200f],
  [0x2028, 0x202f],
  [0x205f, 0x206f],
  [0x3000, 0x3000],
  [0xfeff, 0xfeff]
] as const

const LONGEST = 65_536
const BLOCK_DEVICE = /^\/dev\/(?:sd|hd|vd|xvd|nvme|mmcblk|dm-|md|loop|mapper\/|disk\/)/
const DEVICE_TOOLS = /^(?:mkfs(?:\.\w+)?|wipefs|blkdiscard|fdisk|parted|sfdisk|tee|cp|mv|shred|dd|cat)$/
/** Folders whose removal ends the machine or the user's work. */
const ROOTS = /^(?:\/|~|\$HOME|\$\{HOME\}|\/(?:home|etc|usr|var|boot|bin|lib|root|opt|dev)|\.\.)?$/

interface Refusal {
  why: string
  /** Sees one simple command: its words with quotes taken off, the program's folder too. */
  holds(program: string, words: string[]): boolean
}

const NEVER: Refusal[] = [
  {
    why: 'it would remove a system or home folder whole',
    holds: (_, words) => {
      const rm = words.findIndex(word => basename(word) === 'rm')
      if (rm < 0) return false
      const operands = words.slice(rm + 1)
      return operands.some(isRecursive) && operands.some(word => word.startsWith('-') === false && isRoot(word))
    }
  },
  {
    why: 'it would write to a block device',
    holds: (program, words) =>
      words.some(word => word.startsWith('of=') && BLOCK_DEVICE.test(word.slice(3))) ||
      words.some((word, i) => /^[0-9&]?>{1,2}\|?$/.test(word) && BLOCK_DEVICE.test(words[i + 1] ?? '')) ||
      words.some(word => BLOCK_DEVICE.test(word.replace(/^[0-9&]?>{1,2}\|?/, '')) && word.includes('>')) ||
      (DEVICE_TOOLS.test(program) && program !== 'cat' && words.some(word => BLOCK_DEVICE.test(word)))
  },
  {
    why: 'it would stop or restart the machine',
    holds: program => /^(?:reboot|shutdown|poweroff|halt)$/.test(program)
  },
  {
    why: 'it would hand a shell to the network',
    holds: (_, words) => words.some(word => /\/dev\/(?:tcp|udp)\//.test(word))
  }
]
/** A function that pipes itself into itself in the background. Bounded, so that no text makes it slow. */
const FORK_BOMB = /([A-Za-z_.:][\w.:]{0,40})\s{0,9}\(\s{0,9}\)\s{0,9}\{\s{0,9}\1\s{0,9}\|\s{0,9}\1\s{0,9}&/

/** Why the command is never run, approved or not; undefined for all others. */
export function refusal(command: string): string | undefined {
  if (command.length > LONGEST) return `it is longer than ${LONGEST} characters`
  if (FORK_BOMB.test(command)) return 'it is a fork bomb'
  for (const part of command.replaceAll('\\\n', '').split(/\|\||&&|[;|\n(){}`]|&(?!>)|\$\(/)) {
    const words = part
      .trim()
      .split(/\s+/)
      .map(word => word.replaceAll(/['"\\]/g, ''))
    const found = NEVER.find(({ holds }) => holds(basename(words[0]!), words))
    if (found) return found.why
  }
  return undefined
}

const basename = (word: string) => word.slice(word.lastIndexOf('/') + 1)
const isRecursive = (word: string) => word === '--recursive' || /^-[A-Za-z]*[rR]/.test(word)
/** `/`, `//`, `/*`, `~/`, `/home/.` and the like; a bare `*` or name is the workspace's own affair. */
function isRoot(word: string) {
  if (word === '' || word === '*') return false
  const bare = word
    .replace(/\/\*$/, '/')
    .replaceAll(/\/{2,}/g, '/')
    .replaceAll(/\/\.(?=\/|$)/g, '')
  return ROOTS.test(bare === '/' ? bare : bare.replace(/\/$/, ''))
}
