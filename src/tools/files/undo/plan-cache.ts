// A plan that was made for a call is good for all that the call asks in a row, as long as everything it was made from
// stands: the calls it takes back, what was there, and what may be shown of it.
import { Slices } from '../../../host/files/time-slicing.ts'
import type { Context } from '../../../tool/tool.ts'
import type { UndoPlan } from './plan.ts'
import { mayShow } from './report.ts'
import type { Draft } from './workspace-overlay.ts'

/** A call may wait long for a decision; what the plan holds is not held for that. */
const KEPT_MS = 10_000
const LARGEST = 64 * 1024 * 1024

interface Kept {
  key: string
  plan: UndoPlan
  /** By path what showed that it is the same, and whether it may be shown. */
  seen: ReadonlyMap<string, readonly [stamp: string, shown: boolean]>
}

const plans = new WeakMap<Context, Kept>()

/** The plan of the same key, if it still stands. */
export async function planKept(ctx: Context, key: string): Promise<UndoPlan | undefined> {
  const kept = plans.get(ctx)
  if (kept?.key !== key) return undefined
  const slices = new Slices()
  for (const [path, [stamp, shown]] of kept.seen) {
    if (ctx.host.files.stampAt(path) !== stamp || mayShow(path, ctx) !== shown) return undefined
    await slices.rest()
  }
  return kept.plan
}

/** Keeps a plan, unless it is large or something has just been changed so that a further change might not show. */
export function keepPlan(
  ctx: Context,
  key: string,
  { plan, draft, held }: { plan: UndoPlan; draft: Draft; held: number }
) {
  plans.delete(ctx)
  const seen = new Map<string, readonly [string, boolean]>()
  for (const [path, stamp] of draft.stamps) {
    if (stamp === undefined) return
    seen.set(path, [stamp, mayShow(path, ctx)])
  }
  if (held > LARGEST) return
  plans.set(ctx, { key, plan, seen })
  // Whoever only looked is forgotten before.
  const caller = new WeakRef(ctx)
  setTimeout(() => {
    const there = caller.deref()
    if (there && plans.get(there)?.plan === plan) plans.delete(there)
  }, KEPT_MS).unref()
}
