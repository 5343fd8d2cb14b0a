// What an editor or an MCP client is told, to be copied into its own configuration.
import { programOf } from '../launch-command.ts'

/** `folder`: where this package is; `root`: the project. */
interface Place {
  folder: string
  root: string
}

const started = (place: Place, root: string) => {
  const { command, before } = programOf(place.folder)
  return { command, args: [...before, 'mcp', '--root', root] }
}

/** The editor fills it in. */
const FOLDER = '$' + '{workspaceFolder}'

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
    text: place => asJson({ servers: { toolgate: { type: 'stdio', ...started(place, FOLDER) } } })
  },
  mcp: {
    into: 'the configuration of an MCP client',
    text: place => asJson({ mcpServers: { toolgate: started(place, place.root) } })
  }
}
