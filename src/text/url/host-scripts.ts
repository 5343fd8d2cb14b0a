// Detects the scripts of internationalized host names, and spoofed ones.
import { domainToUnicode } from 'node:url'

const SCRIPTS = ['Latin', 'Cyrillic', 'Greek', 'Armenian', 'Hebrew', 'Arabic', 'Cherokee', 'Georgian', 'Thai', 'Hangul']
const SCRIPT_PATTERNS = SCRIPTS.map(script => [script, new RegExp(`\\p{Script=${script}}`, 'u')] as const)
/** Scripts used together in one language. */
const CJK = /[\p{Script=Han}\p{Script=Hiragana}\p{Script=Katakana}\p{Script=Bopomofo}]/u
/** Scripts with letters that resemble Latin ones. */
const LOOK_ALIKE: ReadonlySet<string> = new Set(['Cyrillic', 'Greek', 'Armenian', 'Cherokee'])

/** Returns notes on a name in the form `xn--…`; none for others. */
export function scriptNotes(name: string): string[] {
  if (!/(?:^|\.)xn--/.test(name)) return []
  const shown = domainToUnicode(name)
  if (shown === '' || shown === name) return [`${name} is not the encoded form of a readable host name.`]
  const notes = [`${name} is displayed as ${shown}.`]
  for (const label of shown.split('.')) {
    const scripts = [
      ...SCRIPT_PATTERNS.filter(([, letters]) => letters.test(label)).map(([script]) => script),
      ...(CJK.test(label) ? ['CJK'] : [])
    ]
    if (scripts.length > 1 && !isUsual(scripts))
      notes.push(`${label} mixes ${scripts.join(' and ')} letters, so it may imitate another host name.`)
    else if (scripts.some(script => LOOK_ALIKE.has(script)))
      notes.push(`${label} is in ${scripts[0]} letters, some of which look like Latin letters.`)
  }
  return notes
}

/** East Asian names mix Latin letters with their own. */
const isUsual = (scripts: readonly string[]) => scripts.every(script => ['Latin', 'CJK', 'Hangul'].includes(script))
