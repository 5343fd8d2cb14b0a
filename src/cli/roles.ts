// The roles that a token or a page may have, and the rights that each stands for.
import { parseChoice } from './exit.ts'

const RIGHTS_BY_ROLE = {
  call: ['call'],
  approve: ['call', 'approve']
} as const

export function parseRole(role: string): readonly ('call' | 'approve')[] {
  return RIGHTS_BY_ROLE[parseChoice('role', role, ['call', 'approve'])]
}
