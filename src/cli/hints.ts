// Hints for names that the server does not know: the likely intended one, and the command that lists them.
import type { Command } from 'commander'
import type { ToolgateError } from '../client/error.ts'
import { commandName } from './cli-command.ts'
import { ARGUMENT_SOURCES, type FetchJson, LISTING_COMMANDS } from './completion/sources.ts'
import { didYouMean, joinHints } from './did-you-mean.ts'

const NOT_FOUND_CODES: readonly string[] = ['NOT_FOUND', 'UNKNOWN_TOOL']

/** Returns undefined for other errors, or unknown arguments. */
export async function hintForError(
  error: ToolgateError,
  command: Command,
  ask: FetchJson
): Promise<string | undefined> {
  const acting = command.commands.find(each => each.name() === command.args[0]) ?? command
  const { args, registeredArguments } = acting
  if (error.code === 'INVALID_PARAMS') return hintForParams(error, acting)
  if (!NOT_FOUND_CODES.includes(error.code) || error.message.includes('See: ')) return undefined
  const at = Math.max(
    0,
    args.findIndex(word => word !== '' && error.message.includes(word))
  )
  const argument = registeredArguments[at] ?? registeredArguments.at(-1)
  const source = argument && ARGUMENT_SOURCES[`${commandName(acting)} ${argument.name()}`]
  const listedBy = source && LISTING_COMMANDS.get(source)
  if (source === undefined || listedBy === undefined) return undefined
  const known = await Promise.resolve(source(ask, args.slice(0, at))).catch(() => [])
  const meant = didYouMean(
    args[at] ?? '',
    known.map(([value]) => value)
  )
  return joinHints(meant, `See: ${listedBy}`)
}

/** Details of a problem: a name in several toolsets, or unknown to all. */
interface ProblemDetails {
  toolsets?: string[]
  unknown?: string
  known?: string[]
}

/** Returns a hint for params that violate a tool's schema, or for an ambiguous name. */
function hintForParams({ problem }: ToolgateError, { args, options }: Command): string | undefined {
  const errors = problem?.errors ?? []
  const { toolsets, unknown, known } = (problem?.details ?? {}) as ProblemDetails
  const [set] = toolsets ?? []
  if (unknown !== undefined && known !== undefined)
    return joinHints(didYouMean(unknown, known), `Expected one of: ${known.join(', ')}.`)
  if (set !== undefined)
    return options.some(({ long }) => long === '--toolset') ? `Example: --toolset ${set}` : undefined
  return errors.some(({ pointer }) => pointer.startsWith('/params/')) ? `See: toolgate tools ${args[0]}` : undefined
}
