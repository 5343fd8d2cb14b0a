// Caches an undo plan for consecutive requests of the same call, as long as its inputs are unchanged: the reverted calls, the
// current state, and the visibility of paths.
import { TimeSlicer } from '../../../host/files/time-slicing.ts'
import type { Context } from '../../../tool/tool.ts'
import { canRevealEntry } from './report.ts'
import type { UndoPlan } from './undo-plan.ts'
import type { WorkspaceOverlay } from './workspace-overlay.ts'

/** Lifetime in milliseconds: a call may wait long for a decision, and the plan's memory is not held for that. */
const CACHE_TTL_MS = 10_000
const MAX_CACHED_BYTES = 64 * 1024 * 1024

interface CachedPlan {
  key: string
  plan: UndoPlan
  /** Fingerprint and visibility by path. */
  observed: ReadonlyMap<string, readonly [stamp: string, shown: boolean]>
}

const plans = new WeakMap<Context, CachedPlan>()

/** Returns the cached plan of the key, if it is still valid. */
export async function getCachedPlan(ctx: Context, key: string): Promise<UndoPlan | undefined> {
  const cached = plans.get(ctx)
  if (cached?.key !== key) return undefined
  const slices = new TimeSlicer()
  for (const [path, [stamp, shown]] of cached.observed) {
    if (ctx.host.files.fingerprintAt(path) !== stamp || canRevealEntry(path, ctx) !== shown) return undefined
    await slices.yieldIfDue()
  }
  return cached.plan
}

/** Caches a plan, unless it is large or a file changed so recently that a further change might go unnoticed. */
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
  // The plan is released together with a call that only previewed.
  const caller = new WeakRef(ctx)
  setTimeout(() => {
    const there = caller.deref()
    if (there && plans.get(there)?.plan === plan) plans.delete(there)
  }, CACHE_TTL_MS).unref()
}
