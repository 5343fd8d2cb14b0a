// node scripts/package-nvim.ts <folder>: makes <folder>/toolgate.nvim, the content of the repository that plugin managers of Neovim
// install. They add the root of a repository to `runtimepath` and cannot use a subfolder. Existing content is replaced.
import { cpSync, mkdirSync, rmSync, writeFileSync } from 'node:fs'
import path from 'node:path'

const SOURCE = 'clients/nvim'
/** Files and folders that users need; tests stay here. */
const FILES = ['README.md', 'doc/toolgate.txt', 'lua', 'plugin']

const [folder] = process.argv.slice(2)
if (folder === undefined) throw new Error('Usage: node scripts/package-nvim.ts <folder>')
const target = path.join(folder, 'toolgate.nvim')
rmSync(target, { recursive: true, force: true })
mkdirSync(target, { recursive: true })
for (const file of FILES) cpSync(path.join(SOURCE, file), path.join(target, file), { recursive: true })
cpSync('LICENSE', path.join(target, 'LICENSE'))
// Plugin managers generate the help tags. A tracked file would be a local change that blocks their updates.
writeFileSync(path.join(target, '.gitignore'), '/doc/tags\n')
console.log(target)
