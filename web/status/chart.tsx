// A curve with axes. The pointer or the arrow keys show the value at a time.
import { useSignal } from '@preact/signals'
import { formatTime } from '../text/format-time.ts'
import { toLinePath } from './line-path.ts'
import { Tile, type TileProps } from './tile.tsx'

/** A value, and its time in milliseconds since the epoch. */
export interface Sample {
  at: number
  value: number
}

interface ChartProps extends TileProps {
  /** Oldest first. */
  samples: readonly Sample[]
  format?: (value: number) => string
}

export const Chart = ({ samples, format = String, ...tile }: ChartProps) => (
  <Tile {...tile}>
    <dd class="chart">
      {samples.length < 2 ? (
        <span class="muted small">Collecting data…</span>
      ) : (
        <Curve title={tile.title} samples={samples} format={format} />
      )}
    </dd>
  </Tile>
)

function Curve({ title, samples, format }: Pick<Required<ChartProps>, 'title' | 'samples' | 'format'>) {
  const chosen = useSignal<number | undefined>(undefined)
  const last = samples.length - 1
  const index = Math.min(chosen.value ?? last, last)
  const shown = samples[index]!
  const max = Math.max(1, ...samples.map(({ value }) => value))
  const text = `${format(shown.value)} at ${formatTime(new Date(shown.at).toISOString())}`
  const choose = (to: number) => {
    chosen.value = Math.max(0, Math.min(to, last))
  }
  return (
    <div
      class="chart-area"
      role="slider"
      tabIndex={0}
      aria-label={title}
      aria-valuemin={0}
      aria-valuemax={last}
      aria-valuenow={index}
      aria-valuetext={text}
      onPointerMove={({ clientX, currentTarget }) => {
        const { left, width } = currentTarget.getBoundingClientRect()
        choose(Math.round(((clientX - left) / width) * last))
      }}
      onPointerLeave={() => {
        chosen.value = undefined
      }}
      onBlur={() => {
        chosen.value = undefined
      }}
      onKeyDown={event => {
        const by = { ArrowLeft: -1, ArrowRight: 1 }[event.key]
        if (by === undefined) return
        event.preventDefault()
        choose(index + by)
      }}
    >
      <span class="chart-max number muted">{format(max)}</span>
      <svg viewBox="0 0 100 30" preserveAspectRatio="none" aria-hidden="true">
        <path class="spark" d={toLinePath(samples.map(({ value }) => value))} />
        {chosen.value !== undefined && <path class="chart-mark" d={`M${((100 * index) / last).toFixed(1)} 0V30`} />}
      </svg>
      <span class="chart-times number muted">
        {chosen.value === undefined ? (
          <>
            <span>{formatTime(new Date(samples[0]!.at).toISOString())}</span>
            <span>{formatTime(new Date(samples[last]!.at).toISOString())}</span>
          </>
        ) : (
          <strong>{text}</strong>
        )}
      </span>
    </div>
  )
}
