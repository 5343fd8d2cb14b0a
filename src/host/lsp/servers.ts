// The language servers that are known. One that answers well without being told anything is one row in a table.

import type { LanguageServer } from './server-row.ts'
import { COMPILED } from './servers-compiled.ts'
import { SCRIPTED } from './servers-scripted.ts'
import { WEB } from './servers-web.ts'
import { WRITTEN } from './servers-written.ts'

export type { LanguageServer, Program, Project, Readiness } from './server-row.ts'

/** Where two are for a file, the earlier one is asked, if it is there. */
export const LANGUAGE_SERVERS: readonly LanguageServer[] = [...WEB, ...SCRIPTED, ...COMPILED, ...WRITTEN]
