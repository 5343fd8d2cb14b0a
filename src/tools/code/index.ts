import definition from './definition.ts'
import diagnostics from './diagnostics.ts'
import hover from './hover.ts'
import references from './references.ts'
import renameSymbol from './rename_symbol.ts'
import symbols from './symbols.ts'

export default [diagnostics, symbols, hover, definition, references, renameSymbol]
