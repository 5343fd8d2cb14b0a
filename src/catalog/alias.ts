// The name of a tool as the APIs of models take it: at most 64 letters, digits, `_` and `-`. It depends on the tool's own name
// alone, so it stays as it is whatever other tools there are, and a call may use either.
import { createHash } from 'node:crypto'

const LONGEST = 64
const TAKEN_BY_APIS = new RegExp(`^[A-Za-z0-9_-]{1,${LONGEST}}$`)
/** Parts between colons that the two underscores of an alias leave no doubt about. */
const CLEAR = /^mcp(?::[A-Za-z0-9-]+(?:_[A-Za-z0-9-]+)*)+$/
const RESERVED = 'mcp__'
const HASH_CHARACTERS = 10

/** `mcp__server__tool` for `mcp:server:tool`. What that would not say without doubt, or too long, ends in a hash of the name. */
export function aliasOf(name: string): string {
  if (TAKEN_BY_APIS.test(name)) return name
  const readable = name.replaceAll(':', '__').replaceAll(/[^A-Za-z0-9_-]/g, '_')
  if (CLEAR.test(name) && readable.length <= LONGEST) return readable
  const hash = createHash('sha256').update(name).digest('hex').slice(0, HASH_CHARACTERS)
  return `${readable.slice(0, LONGEST - HASH_CHARACTERS - 1)}_${hash}`
}

/** No tool has such a name of its own, so that no two are called the same. */
export const isReserved = (name: string) => name.startsWith(RESERVED)
