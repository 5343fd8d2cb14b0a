// Configuration snippets for editors and MCP clients, to be copied.
import { launchCommand } from '../launch-command.ts'

/** `folder`: location of this package; `root`: the project. */
interface InstallPaths {
  folder: string
  root: string
}

const mcpCommand = (place: InstallPaths, root: string) => {
  const { command, before } = launchCommand(place.folder)
  return { command, args: [...before, 'mcp', '--root', root] }
}

/** Expanded by the editor. */
const VSCODE_WORKSPACE_FOLDER = '$' + '{workspaceFolder}'

interface Snippet {
  /** The file to insert it into. */
  into: string
  text: (place: InstallPaths) => string
}

const toJson = (value: unknown) => JSON.stringify(value, null, 2)
const lispString = (text: string) => `"${text.replace(/["\\]/g, '\\$&')}"`
const luaString = (text: string) => `'${text.replace(/['\\]/g, '\\$&')}'`

export const EDITOR_SNIPPETS: Readonly<Record<string, Snippet>> = {
  emacs: {
    into: 'your init file (Emacs 28.1 or later)',
    text: ({ folder }) =>
      `(add-to-list 'load-path ${lispString(`${folder}/clients/emacs`)})\n(require 'toolgate)\n(toolgate-mode 1)`
  },
  nvim: {
    into: 'init.lua (Neovim 0.7.2 or later)',
    text: ({ folder }) =>
      `vim.opt.runtimepath:append(${luaString(`${folder}/clients/nvim`)})\nrequire('toolgate').setup()`
  },
  vscode: {
    into: '.vscode/mcp.json',
    text: place => toJson({ servers: { toolgate: { type: 'stdio', ...mcpCommand(place, VSCODE_WORKSPACE_FOLDER) } } })
  },
  mcp: {
    into: 'the configuration of an MCP client',
    text: place => toJson({ mcpServers: { toolgate: mcpCommand(place, place.root) } })
  }
}
