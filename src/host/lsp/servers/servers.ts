// Registry of known language servers. One that works without settings is one row in a table.

import { COMPILED_LANGUAGE_SERVERS } from './compiled-languages.ts'
import { DOCS_AND_CONFIG_LANGUAGE_SERVERS } from './docs-and-config-languages.ts'
import { SCRIPTING_LANGUAGE_SERVERS } from './scripting-languages.ts'
import type { LanguageServerDefinition } from './server-definition.ts'
import { WEB_LANGUAGE_SERVERS } from './web-languages.ts'

/** If two are for a file, the earlier one is used, if it is installed. */
export const LANGUAGE_SERVERS: readonly LanguageServerDefinition[] = [
  ...WEB_LANGUAGE_SERVERS,
  ...SCRIPTING_LANGUAGE_SERVERS,
  ...COMPILED_LANGUAGE_SERVERS,
  ...DOCS_AND_CONFIG_LANGUAGE_SERVERS
]
