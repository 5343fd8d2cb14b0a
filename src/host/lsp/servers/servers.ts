// The language servers that are known. One that answers well without being told anything is one row in a table.

import { COMPILED } from './compiled-languages.ts'
import { WRITTEN } from './docs-and-config-languages.ts'
import { SCRIPTED } from './scripting-languages.ts'
import type { LanguageServer } from './server-definition.ts'
import { WEB } from './web-languages.ts'

export type { LanguageServer, Program, Project, Readiness } from './server-definition.ts'

/** Where two are for a file, the earlier one is asked, if it is there. */
export const LANGUAGE_SERVERS: readonly LanguageServer[] = [...WEB, ...SCRIPTED, ...COMPILED, ...WRITTEN]
