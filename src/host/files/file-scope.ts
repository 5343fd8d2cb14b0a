// State that reading and changing files share in one call: the workspace, and the paths and images that its decisions are bound to.
import { UnsavedFiles } from '../editors/unsaved-files.ts'
import type { Effects } from '../effects.ts'
import type { Workspace } from '../workspace.ts'
import { EntryImages } from './entry-images.ts'
import { openEntry } from './open-entry.ts'
import type { PathGuard } from './policy/path-policy.ts'
import { ResolvedPaths } from './resolved-paths.ts'

export interface FileScope {
  workspace: Workspace
  guard: PathGuard
  effects: Effects
  paths: ResolvedPaths
  images: EntryImages
  unsaved: UnsavedFiles
}

export function createFileScope(workspace: Workspace, guard: PathGuard, effects: Effects): FileScope {
  const unsaved = new UnsavedFiles(effects.editors, place => openEntry(workspace, guard, place, place.path))
  const images = new EntryImages(workspace, guard, effects, unsaved)
  const paths = new ResolvedPaths(workspace, guard, images, unsaved)
  return { workspace, guard, effects, paths, images, unsaved }
}
