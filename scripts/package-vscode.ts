// node scripts/package-vscode.ts <folder>: bundles the extension for VS Code, and packs it as <folder>/toolgate-<version>.vsix. The
// packages of clients/vscode must be installed.
import { mkdirSync } from 'node:fs'
import path from 'node:path'
import { bundleExtension, EXTENSION, packExtension } from './vscode/extension.ts'

const [folder] = process.argv.slice(2)
if (folder === undefined) throw new Error('Usage: node scripts/package-vscode.ts <folder>')
mkdirSync(folder, { recursive: true })
await bundleExtension(path.join(EXTENSION, 'dist'))
console.log(await packExtension(folder))
