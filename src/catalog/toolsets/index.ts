// All toolsets, in listing order.
import type { Toolset } from '../toolset.ts'
import { codeyToolset } from './codey.ts'
import { emacsAgentToolset } from './emacs-agent.ts'
import { nativeToolset } from './native.ts'
import { opencodeToolset } from './opencode.ts'
import { synapsisToolset } from './synapsis.ts'
import { workspaceToolset } from './workspace.ts'

export const TOOLSETS: readonly Toolset[] = [
  nativeToolset,
  opencodeToolset,
  synapsisToolset,
  workspaceToolset,
  codeyToolset,
  emacsAgentToolset
]
