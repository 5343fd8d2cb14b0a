// Finds the script that a call itself contains, by its tool and params.
import { escapeInvisible } from '../../src/text/escape-invisible.ts'
import type { Language } from '../highlight/languages.ts'
import type { OwnScript } from './script-sections.ts'

/** The languages of `run_code`. */
const CODE_LANGUAGES: Readonly<Record<string, Language>> = { bash: 'bash', node: 'javascript', python: 'python' }

/** Returns the script as previews show it, with invisible characters escaped. */
export function findOwnScript(tool: string, params: unknown): OwnScript | undefined {
  const { command, code, language } = (params ?? {}) as Record<string, unknown>
  if (tool === 'run_code' && typeof code === 'string' && typeof language === 'string' && language in CODE_LANGUAGES)
    return { text: escapeInvisible(code), language: CODE_LANGUAGES[language]! }
  if (/^shell_/.test(tool) && typeof command === 'string') return { text: escapeInvisible(command), language: 'bash' }
  return undefined
}
