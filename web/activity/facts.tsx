// A list of names with values. Those without a value are left out.
import type { ComponentChildren } from 'preact'
import { markInvisible } from '../text/invisible.tsx'

export const Facts = ({ facts }: { facts: readonly (readonly [name: string, value: ComponentChildren])[] }) => (
  <dl class="facts">
    {facts.map(
      ([name, value], n) =>
        value !== undefined && [
          <dt key={`name ${n}`}>{name}</dt>,
          <dd key={`value ${n}`}>{typeof value === 'string' ? markInvisible(value) : value}</dd>
        ]
    )}
  </dl>
)
