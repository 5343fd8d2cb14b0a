// Roles of people at the hub, and the people of an OpenID provider who may come in.
import { ToolError } from '../../errors.ts'
import { PERSON_ROLES, type PersonRole } from '../../protocol/hub.ts'

export const isPersonRole = (role: string): role is PersonRole => PERSON_ROLES.some(each => each === role)

/** Returns true if a person may do what the least role is needed for. */
export const reachesRole = (role: PersonRole, least: PersonRole): boolean => rankOf(role) >= rankOf(least)

const rankOf = (role: PersonRole) => PERSON_ROLES.indexOf(role)

/** An entry of the list of those who may come in. Sessions name the entry that let their person in, and end with it. */
export interface AllowEntry {
  text: string
  role: PersonRole
  matches: (claims: Claims) => boolean
}

/** The claims of a person, as far as they count. */
export interface Claims {
  /** In lower case; left out unless the provider has verified it. */
  email?: string | undefined
  /** Values of a claim. */
  valuesOf: (claim: string) => readonly string[]
}

/** A claim, which may be a URL, and its value. */
const CLAIM = /^((?:https?:\/\/)?[^:]+):(.+)$/

/** Parses `who=role`: an e-mail address, `@domain`, or `claim:value`. The role is viewer if it is left out. Throws INVALID_PARAMS. */
export function parseAllowEntry(text: string): AllowEntry {
  const [, who = text, given = 'viewer'] = /^(.*)=([a-z]+)$/.exec(text) ?? []
  if (!isPersonRole(given))
    throw new ToolError(
      'INVALID_PARAMS',
      `${text}: ${given} is not a role. Use one of these roles: ${PERSON_ROLES.join(', ')}.`
    )
  const [, claim, value] = CLAIM.exec(who) ?? []
  if (claim !== undefined && value !== undefined)
    return { text, role: given, matches: ({ valuesOf }) => valuesOf(claim).includes(value) }
  const address = who.toLowerCase()
  if (!/^[^\s@]*@[^\s@]+$/.test(address))
    throw new ToolError(
      'INVALID_PARAMS',
      `${text}: use an email address, a domain such as @example.com, or a claim and its value such as groups:ops.`
    )
  return {
    text,
    role: given,
    matches: ({ email }) => email !== undefined && (address.startsWith('@') ? domainOf(email) : email) === address
  }
}

const domainOf = (email: string) => email.slice(email.lastIndexOf('@'))

/** Returns the entry that gives a person the most; undefined if none lets the person in. */
export const findEntry = (entries: readonly AllowEntry[], claims: Claims): AllowEntry | undefined =>
  entries
    .filter(({ matches }) => matches(claims))
    .reduce<AllowEntry | undefined>(
      (best, each) => (best && reachesRole(best.role, each.role) ? best : each),
      undefined
    )
