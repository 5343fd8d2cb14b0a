// node scripts/package-vscode.ts <folder>: packs the extension for VS Code as <folder>/toolgate-<version>.vsix. The packages of
// clients/vscode must be installed.
import { mkdirSync } from 'node:fs'
import { packExtension } from './vscode/extension.ts'

const [folder] = process.argv.slice(2)
if (folder === undefined) throw new Error('Usage: node scripts/package-vscode.ts <folder>')
mkdirSync(folder, { recursive: true })
console.log(await packExtension(folder))
