// Programs that reach beyond the workspace: they use the network, publish, install packages, or change the machine. Without network
// they serve nothing, so that they are asked about where other commands run unasked.
import type { Outward, OutwardSubcommands } from '../programs/program.ts'
import { findProgramFacts } from '../programs/programs.ts'

const REASONS: Readonly<Record<Outward, string>> = {
  network: 'Uses the network.',
  publishes: 'Publishes data, or acts on other machines with your credentials.',
  packages: 'Installs, queries or removes packages.',
  machine: 'Changes the machine, or the programs that run on it.'
}

/** Modules of Python, and subcommands of uv, with subcommands of pip. */
const PIP_MODULE = /^(?:pip3?|ensurepip|twine)$/
const PIP_LISTINGS = new Set('list show freeze check tree help'.split(' '))

/** Returns the reason for which a program with these arguments reaches beyond the workspace; undefined if it does not. */
export function findOutwardReason(program: string, args: readonly string[]): string | undefined {
  if (args.length === 1 && /^(?:--version|-V|--help|-h)$/.test(args[0]!)) return undefined
  const outward = findProgramFacts(program)?.outward
  if (typeof outward === 'string') return REASONS[outward]
  const words = possibleSubcommands(args)
  const use = words.map(word => findUse(outward ?? {}, word)).find(found => found !== undefined)
  if (use) return REASONS[use]
  const installs = (outward?.installsByDefault && words.length === 0) || isInstaller(program, args)
  return installs ? REASONS.packages : undefined
}

/** Returns how a subcommand reaches beyond the workspace. */
const findUse = (outward: OutwardSubcommands, word: string) =>
  (['network', 'publishes', 'packages'] as const).find(use => outward[use]?.split(' ').includes(word))

/** Returns the words that may be the subcommand: the value of a flag before it looks like one, too. */
function possibleSubcommands(args: readonly string[]): string[] {
  const found: string[] = []
  for (const [at, arg] of args.entries()) {
    if (arg === '' || arg.startsWith('-')) continue
    found.push(arg)
    const before = args[at - 1]
    if (before === undefined || !before.startsWith('-') || before.includes('=')) break
  }
  return found
}

function isInstaller(program: string, args: readonly string[]): boolean {
  if (!/^(?:python[\d.]*|py|uv)$/.test(program)) return false
  const at = args.findIndex((arg, i) => PIP_MODULE.test(arg) && (i === 0 || args[i - 1] === '-m'))
  return at >= 0 && !PIP_LISTINGS.has(args[at + 1] ?? 'help')
}
