// A plan that was made for a call is good for all that the call asks in a row, as long as everything it was made from
// stands: the calls it takes back, what was there, and what may be shown of it.
import { TimeSlicer } from '../../../host/files/time-slicing.ts'
import type { Context } from '../../../tool/tool.ts'
import { canRevealEntry } from './report.ts'
import type { UndoPlan } from './undo-plan.ts'
import type { WorkspaceOverlay } from './workspace-overlay.ts'

/** A call may wait long for a decision; what the plan holds is not held for that. */
const CACHE_TTL_MS = 10_000
const MAX_CACHED_BYTES = 64 * 1024 * 1024

interface CachedPlan {
  key: string
  plan: UndoPlan
  /** By path what showed that it is the same, and whether it may be shown. */
  observed: ReadonlyMap<string, readonly [stamp: string, shown: boolean]>
}

const plans = new WeakMap<Context, CachedPlan>()

/** The plan of the same key, if it still stands. */
export async function getCachedPlan(ctx: Context, key: string): Promise<UndoPlan | undefined> {
  const kept = plans.get(ctx)
  if (kept?.key !== key) return undefined
  const slices = new TimeSlicer()
  for (const [path, [stamp, shown]] of kept.observed) {
    if (ctx.host.files.fingerprintAt(path) !== stamp || canRevealEntry(path, ctx) !== shown) return undefined
    await slices.yieldIfDue()
  }
  return kept.plan
}

/** Keeps a plan, unless it is large or something has just been changed so that a further change might not show. */
export function cachePlan(
  ctx: Context,
  key: string,
  { plan, draft, held }: { plan: UndoPlan; draft: WorkspaceOverlay; held: number }
) {
  plans.delete(ctx)
  const observed = new Map<string, readonly [string, boolean]>()
  for (const [path, stamp] of draft.fingerprints) {
    if (stamp === undefined) return
    observed.set(path, [stamp, canRevealEntry(path, ctx)])
  }
  if (held > MAX_CACHED_BYTES) return
  plans.set(ctx, { key, plan, observed })
  // Whoever only looked is forgotten before.
  const caller = new WeakRef(ctx)
  setTimeout(() => {
    const there = caller.deref()
    if (there && plans.get(there)?.plan === plan) plans.delete(there)
  }, CACHE_TTL_MS).unref()
}
