// A figure with how it came to be: a curve without axes, and the same in words.
import { lineOf } from './figures.ts'

interface Props {
  title: string
  value: string
  more: string
  /** Oldest first. */
  values: readonly (number | undefined)[]
}

export function Sparkline({ title, value, more, values }: Props) {
  const most = Math.max(0, ...values.filter(value => value !== undefined))
  return (
    <div class="tile">
      <dt>{title}</dt>
      <dd class="tile-value number">{value}</dd>
      <dd class="muted small">{more}</dd>
      <dd class="tile-curve" aria-hidden="true">
        <svg viewBox="0 0 100 30" preserveAspectRatio="none">
          <title>{title}</title>
          <path class="spark" d={lineOf(values, most)} />
        </svg>
      </dd>
    </div>
  )
}
