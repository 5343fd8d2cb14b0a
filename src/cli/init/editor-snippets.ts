// Configuration snippets for editors, to be copied.

/** `folder`: location of this package; `root`: the project. */
interface InstallPaths {
  folder: string
  root: string
}

interface Snippet {
  /** The file to insert it into. */
  into: string
  text: (place: InstallPaths) => string
}

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
  }
}
