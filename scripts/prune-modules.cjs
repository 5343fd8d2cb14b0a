// Removes the parts of installed packages that nothing here loads: a fifth of node_modules. Runs after every install, by
// whichever Node runs npm, so it is plain CommonJS.
'use strict'
const fs = require('node:fs')
const path = require('node:path')

const modules = path.join(__dirname, '..', 'node_modules')
const bundled = path.join(modules, 'node', 'node_modules')
const platforms = fs.existsSync(bundled) ? fs.readdirSync(bundled).filter(name => name.startsWith('node-')) : []
const unused = [
  // C headers for native add-ons, of which none is compiled, and manual pages.
  ...platforms.flatMap(platform => ['include', 'share'].map(folder => path.join(bundled, platform, folder))),
  // The native form of the grammar; only its WebAssembly form is loaded.
  ...['prebuilds', 'src'].map(folder => path.join(modules, 'tree-sitter-bash', folder))
]
for (const folder of unused) fs.rmSync(folder, { recursive: true, force: true })
