// Roles of a token or a page, with their rights.
import { parseChoice } from './exit.ts'

const RIGHTS_BY_ROLE = {
  call: ['call'],
  approve: ['call', 'approve']
} as const

export function parseRole(role: string): readonly ('call' | 'approve')[] {
  return RIGHTS_BY_ROLE[parseChoice('role', role, ['call', 'approve'])]
}
