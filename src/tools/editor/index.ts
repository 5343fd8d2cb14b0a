import editorDiagnostics from './editor_diagnostics.ts'
import editorOpen from './editor_open.ts'
import editorShowDiff from './editor_show_diff.ts'

export default [editorOpen, editorDiagnostics, editorShowDiff]
