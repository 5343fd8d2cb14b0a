// What a look at one thing found.
import type { CliContext } from '../context.ts'

export interface CheckResult {
  check: string
  /** `warnResult`: it works, but less well or less safely. */
  state: 'ok' | 'warn' | 'fail'
  found: string
  /** What to do about it. */
  cure?: string
}

/** Looks at something; never throws for what it finds. */
export type DoctorCheck = (context: CliContext) => Promise<readonly CheckResult[]>

export const passResult = (check: string, found: string): CheckResult => ({ check, state: 'ok', found })
export const warnResult = (check: string, found: string, cure: string): CheckResult => ({
  check,
  state: 'warn',
  found,
  cure
})
export const failResult = (check: string, found: string, cure: string): CheckResult => ({
  check,
  state: 'fail',
  found,
  cure
})
