// Every toolset, in the order in which they are told.
import type { Toolset } from '../toolset.ts'
import { codey } from './codey.ts'
import { emacsAgent } from './emacs-agent.ts'
import { native } from './native.ts'
import { opencode } from './opencode.ts'
import { synapsis } from './synapsis.ts'
import { workspace } from './workspace.ts'

export const TOOLSETS: readonly Toolset[] = [native, opencode, synapsis, workspace, codey, emacsAgent]
