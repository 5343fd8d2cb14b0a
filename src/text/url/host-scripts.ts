// Names of hosts in other letters than those of ASCII: how they are written, and whether one could pass for another.
import { domainToUnicode } from 'node:url'

const SCRIPTS = ['Latin', 'Cyrillic', 'Greek', 'Armenian', 'Hebrew', 'Arabic', 'Cherokee', 'Georgian', 'Thai', 'Hangul']
const SCRIPT_PATTERNS = SCRIPTS.map(script => [script, new RegExp(`\\p{Script=${script}}`, 'u')] as const)
/** What one language writes in together. */
const CJK = /[\p{Script=Han}\p{Script=Hiragana}\p{Script=Katakana}\p{Script=Bopomofo}]/u
/** Letters of these look like Latin ones. */
const LOOK_ALIKE: ReadonlySet<string> = new Set(['Cyrillic', 'Greek', 'Armenian', 'Cherokee'])

/** What to know of a name that is looked up as `xn--…`; nothing for any other. */
export function scriptNotes(name: string): string[] {
  if (!/(?:^|\.)xn--/.test(name)) return []
  const shown = domainToUnicode(name)
  if (shown === '' || shown === name) return [`${name} is looked up as written, and stands for no readable name.`]
  const notes = [`${name} is written ${shown}.`]
  for (const label of shown.split('.')) {
    const scripts = [
      ...SCRIPT_PATTERNS.filter(([, letters]) => letters.test(label)).map(([script]) => script),
      ...(CJK.test(label) ? ['CJK'] : [])
    ]
    if (scripts.length > 1 && !isUsual(scripts))
      notes.push(`${label} mixes ${scripts.join(' and ')} letters: it may be made to pass for another name.`)
    else if (scripts.some(script => LOOK_ALIKE.has(script)))
      notes.push(`${label} is in ${scripts[0]} letters, some of which look like Latin ones.`)
  }
  return notes
}

/** East Asian names have Latin letters beside their own. */
const isUsual = (scripts: readonly string[]) => scripts.every(script => ['Latin', 'CJK', 'Hangul'].includes(script))
