// Aliases: tool names as accepted by model APIs, at most 64 letters, digits, `_` and `-`. An alias depends on the tool's name
// alone, so it is stable, and a call may use either.
import { createHash } from 'node:crypto'

const MAX_ALIAS_LENGTH = 64
const API_TOOL_NAME = new RegExp(`^[A-Za-z0-9_-]{1,${MAX_ALIAS_LENGTH}}$`)
/** Colon-separated parts that an alias encodes unambiguously with double underscores. */
const UNAMBIGUOUS_NAME = /^mcp(?::[A-Za-z0-9-]+(?:_[A-Za-z0-9-]+)*)+$/
const RESERVED_PREFIX = 'mcp__'
const HASH_LENGTH = 10

/** Returns `mcp__server__tool` for `mcp:server:tool`. A name that would be ambiguous or too long ends in a hash. */
export function toAlias(name: string): string {
  if (API_TOOL_NAME.test(name)) return name
  const readable = name.replaceAll(':', '__').replaceAll(/[^A-Za-z0-9_-]/g, '_')
  if (UNAMBIGUOUS_NAME.test(name) && readable.length <= MAX_ALIAS_LENGTH) return readable
  const hash = createHash('sha256').update(name).digest('hex').slice(0, HASH_LENGTH)
  return `${readable.slice(0, MAX_ALIAS_LENGTH - HASH_LENGTH - 1)}_${hash}`
}

/** Returns true for names that no tool may have, which prevents collisions with aliases. */
export const isReservedName = (name: string) => name.startsWith(RESERVED_PREFIX)
