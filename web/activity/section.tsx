// A part of the details of a call, with a heading.
import type { ComponentChildren } from 'preact'

export const Section = ({ title, children }: { title: string; children: ComponentChildren }) => (
  <section class="detail-section">
    <h3>{title}</h3>
    {children}
  </section>
)
