// The roles that a token or a page may have, and the rights that each stands for.
import { usage } from './exit.ts'

const RIGHTS: Readonly<Record<string, readonly ('call' | 'approve')[]>> = {
  call: ['call'],
  approve: ['call', 'approve']
}

export function rightsOf(role: string): readonly ('call' | 'approve')[] {
  if (Object.hasOwn(RIGHTS, role)) return RIGHTS[role]!
  throw usage(`${role} is no role.`, 'It is call or approve.')
}
