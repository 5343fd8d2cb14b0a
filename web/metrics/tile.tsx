// A figure with an explanation and, if it has a history, a curve.
import type { ComponentChildren } from 'preact'
import { toLinePath } from './line-path.ts'

interface TileProps {
  title: string
  value: string
  note: string
}

export function Tile({ title, value, note, children }: TileProps & { children: ComponentChildren }) {
  return (
    <div class="tile">
      <dt>{title}</dt>
      <dd class="tile-value number">{value}</dd>
      <dd class="muted small">{note}</dd>
      <dd class="muted small">{children}</dd>
    </div>
  )
}

/** `values`: oldest first. The curve has no axes; the text gives the same information. */
export function Sparkline({ title, value, note, values }: TileProps & { values: readonly number[] }) {
  const line = toLinePath(values)
  return (
    <div class="tile">
      <dt>{title}</dt>
      <dd class="tile-value number">{value}</dd>
      <dd class="muted small">{note}</dd>
      {line === '' ? (
        <dd class="tile-curve muted small">Collecting data…</dd>
      ) : (
        <dd class="tile-curve" aria-hidden="true">
          <svg viewBox="0 0 100 30" preserveAspectRatio="none">
            <title>{title}</title>
            <path class="spark" d={line} />
          </svg>
        </dd>
      )}
    </div>
  )
}
