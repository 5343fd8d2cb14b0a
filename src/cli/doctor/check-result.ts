// What a look at one thing found.
import type { Context } from '../context.ts'

export interface Finding {
  check: string
  /** `warn`: it works, but less well or less safely. */
  state: 'ok' | 'warn' | 'fail'
  found: string
  /** What to do about it. */
  cure?: string
}

/** Looks at something; never throws for what it finds. */
export type Look = (context: Context) => Promise<readonly Finding[]>

export const ok = (check: string, found: string): Finding => ({ check, state: 'ok', found })
export const warn = (check: string, found: string, cure: string): Finding => ({ check, state: 'warn', found, cure })
export const fail = (check: string, found: string, cure: string): Finding => ({ check, state: 'fail', found, cure })
