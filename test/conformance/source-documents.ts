// The facts of the documents from which the toolsets were made. source-documents.md is generated from them, and
// source-documents.test.ts compares them with a server.
import { codey } from './source-documents/codey.ts'
import type { SourceDocument } from './source-documents/document.ts'
import { emacsAgent } from './source-documents/emacs-agent.ts'
import { opencode } from './source-documents/opencode.ts'
import { synapsis } from './source-documents/synapsis.ts'
import { workspace } from './source-documents/workspace.ts'

export const SOURCE_DOCUMENTS: readonly SourceDocument[] = [opencode, synapsis, workspace, codey, emacsAgent]
