// Tests that text colours have a contrast of 4.5:1 on every background that they appear on, in light and dark.
// tier: quick
import { readFileSync } from 'node:fs'
import t from 'tap'
import { TOKEN_KINDS } from '../../web/highlight/tokens.ts'

const MIN_CONTRAST = 4.5
const BACKGROUNDS = ['surface', 'sunken', 'good-soft', 'good-strong', 'bad-soft', 'bad-strong']

const COLOURS = new Map(
  [
    ...readFileSync('web/styles/tokens.css', 'utf8').matchAll(
      /--(?<name>[\w-]+): light-dark\((?<light>#\w{6}), (?<dark>#\w{6})\)/g
    )
  ].map(({ groups }) => [groups!.name!, { light: groups!.light!, dark: groups!.dark! }])
)

/** Relative luminance by WCAG 2. */
function luminance(colour: string): number {
  const [r, g, b] = [1, 3, 5].map(at => {
    const value = Number.parseInt(colour.slice(at, at + 2), 16) / 255
    return value <= 0.04045 ? value / 12.92 : ((value + 0.055) / 1.055) ** 2.4
  })
  return 0.2126 * r! + 0.7152 * g! + 0.0722 * b!
}

function contrast(one: string, other: string): number {
  const [dark, light] = [luminance(one), luminance(other)].sort((a, b) => a - b)
  return (light! + 0.05) / (dark! + 0.05)
}

t.test('tokens are readable on lines and words that were added or removed', t => {
  for (const kind of TOKEN_KINDS)
    for (const ground of BACKGROUNDS)
      for (const scheme of ['light', 'dark'] as const) {
        const text = COLOURS.get(kind === 'plain' ? 'text' : `token-${kind}`)![scheme]
        t.ok(contrast(text, COLOURS.get(ground)![scheme]) >= MIN_CONTRAST, `${kind} on ${ground}, ${scheme}`)
      }
  t.end()
})
