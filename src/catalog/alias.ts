// The name of a tool as the APIs of models take it: at most 64 letters, digits, `_` and `-`. It depends on the tool's own name
// alone, so it stays as it is whatever other tools there are, and a call may use either.
import { createHash } from 'node:crypto'

const MAX_ALIAS_LENGTH = 64
const API_TOOL_NAME = new RegExp(`^[A-Za-z0-9_-]{1,${MAX_ALIAS_LENGTH}}$`)
/** Parts between colons that the two underscores of an alias leave no doubt about. */
const UNAMBIGUOUS_NAME = /^mcp(?::[A-Za-z0-9-]+(?:_[A-Za-z0-9-]+)*)+$/
const RESERVED_PREFIX = 'mcp__'
const HASH_LENGTH = 10

/** `mcp__server__tool` for `mcp:server:tool`. What that would not say without doubt, or too long, ends in a hash of the name. */
export function toAlias(name: string): string {
  if (API_TOOL_NAME.test(name)) return name
  const readable = name.replaceAll(':', '__').replaceAll(/[^A-Za-z0-9_-]/g, '_')
  if (UNAMBIGUOUS_NAME.test(name) && readable.length <= MAX_ALIAS_LENGTH) return readable
  const hash = createHash('sha256').update(name).digest('hex').slice(0, HASH_LENGTH)
  return `${readable.slice(0, MAX_ALIAS_LENGTH - HASH_LENGTH - 1)}_${hash}`
}

/** No tool has such a name of its own, so that no two are called the same. */
export const isReservedName = (name: string) => name.startsWith(RESERVED_PREFIX)
