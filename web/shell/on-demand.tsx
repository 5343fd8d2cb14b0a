// Views of the frame that are loaded when they are first shown, together: each further entry point would split the first script.
export { BatchDialog } from '../approvals/batch-dialog.tsx'
export { ModeDialog } from '../modes/mode-dialog.tsx'
export { ModesBar } from '../modes/modes-bar.tsx'
export { Help } from './help.tsx'
