// A figure with an explanation.
import type { ComponentChildren } from 'preact'

export interface TileProps {
  title: string
  value: string
  note: string
}

export const Tile = ({ title, value, note, children }: TileProps & { children: ComponentChildren }) => (
  <div class="tile">
    <dt>{title}</dt>
    <dd class="tile-value number">{value}</dd>
    <dd class="muted small">{note}</dd>
    {children}
  </div>
)
