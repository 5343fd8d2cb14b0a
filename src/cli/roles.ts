// The roles that a token or a page may have, and the rights that each stands for.
import { oneOf } from './exit.ts'

const RIGHTS = {
  call: ['call'],
  approve: ['call', 'approve']
} as const

export function rightsOf(role: string): readonly ('call' | 'approve')[] {
  return RIGHTS[oneOf('role', role, ['call', 'approve'])]
}
