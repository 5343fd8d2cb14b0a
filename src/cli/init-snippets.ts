// What an editor or an MCP client is told, to be copied into its own configuration.

import { existsSync } from 'node:fs'
import path from 'node:path'

/** `folder`: where this package is; `root`: the project. */
interface Place {
  folder: string
  root: string
}

/** What starts this program wherever it is started from. A clone is on no search path, and brings its own Node along. */
function programOf({ folder }: Place): { command: string; before: readonly string[] } {
  if (!isClone(folder)) return { command: 'toolgate', before: [] }
  return { command: path.join(folder, 'node_modules/.bin/node'), before: [path.join(folder, 'bin/toolgate.cjs')] }
}

const started = (place: Place, root: string) => {
  const { command, before } = programOf(place)
  return { command, args: [...before, 'mcp', '--root', root] }
}

/** Its sources are in no package. */
const isClone = (folder: string) => existsSync(path.join(folder, 'src/main.ts'))

/** Whether the program that is named has been built. */
export const isBuilt = (folder: string) => !isClone(folder) || existsSync(path.join(folder, 'dist/main.js'))

interface Snippet {
  /** Where it goes. */
  into: string
  text: (place: Place) => string
}

const asJson = (value: unknown) => JSON.stringify(value, null, 2)
const lisp = (text: string) => `"${text.replace(/["\\]/g, '\\$&')}"`
const lua = (text: string) => `'${text.replace(/['\\]/g, '\\$&')}'`

export const SNIPPETS: Readonly<Record<string, Snippet>> = {
  emacs: {
    into: 'your init file (Emacs 28.1 or later)',
    text: ({ folder }) =>
      `(add-to-list 'load-path ${lisp(`${folder}/clients/emacs`)})\n(require 'toolgate)\n(toolgate-mode 1)`
  },
  nvim: {
    into: 'init.lua (Neovim 0.7.2 or later)',
    text: ({ folder }) => `vim.opt.runtimepath:append(${lua(`${folder}/clients/nvim`)})\nrequire('toolgate').setup()`
  },
  vscode: {
    into: '.vscode/mcp.json',
    text: place =>
      // biome-ignore lint/suspicious/noTemplateCurlyInString: the editor fills it in
      asJson({ servers: { toolgate: { type: 'stdio', ...started(place, '${workspaceFolder}') } } })
  },
  mcp: {
    into: 'the configuration of an MCP client',
    text: place => asJson({ mcpServers: { toolgate: started(place, place.root) } })
  }
}
