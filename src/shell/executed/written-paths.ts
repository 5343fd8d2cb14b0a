// Files that a command line writes by its words: a file that it executes as well has another content then than now.
import type { SubCommand } from '../command-line-analysis.ts'
import { findProgramFacts } from '../programs/programs.ts'
import { baseName } from './source-finders.ts'

/** A file or folder that a part writes. */
export interface WrittenPath {
  /** Relative to the folder of the part. */
  path: string
  folder: string | null
  /** Index of the part. */
  at: number
}

/** Words of compilers and of dd that name their output. */
const OUTPUT = /^(?:-o|of=)(?<path>.*)$/s

/** Returns what parts write by their operands, redirects and output options. */
export function findWrittenPaths(parts: readonly SubCommand[]): WrittenPath[] {
  return parts.flatMap((part, at) => {
    const { argv = [], operands, cwd: folder = '.' } = part
    if (part.class === 'auto') return []
    // Their operands are only touched; redirects are operands as well.
    const kept = findProgramFacts(baseName(argv[0] ?? ''))?.keepsContent ? argv : []
    const written = operands.flatMap(({ path, access }) => (access === 'write' && !kept.includes(path) ? [path] : []))
    const outputs = argv.flatMap((word, i) => {
      const path = OUTPUT.exec(word)?.groups?.path
      return path === undefined ? [] : path === '' ? (argv[i + 1] ?? []) : [path]
    })
    return [...written, ...outputs].map(path => ({ path, folder, at }))
  })
}

const SHELL = /^(?:ba|da|z|k|mk|a|fi|c|tc)?sh$/

/** Returns true if a part runs something beside the other, rather than only that other one. */
export function isOtherPart(part: SubCommand, other: SubCommand, parts: readonly SubCommand[]): boolean {
  if (part === other || part.class === 'auto') return false
  const [program = '', ...args] = part.argv ?? []
  const name = baseName(program)
  const { runsWords, keepsContent } = findProgramFacts(name) ?? {}
  const isAround = parts[parts.indexOf(part) + 1]?.inner
  if (isAround && (runsWords === true || (SHELL.test(name) && args.some(arg => /^-\w*c/.test(arg))))) return false
  return !(keepsContent && part.operands.every(({ path }) => args.includes(path)))
}
