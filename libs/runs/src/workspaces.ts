export { Workspaces, type Workspace } from '@hcp/workspaces';
