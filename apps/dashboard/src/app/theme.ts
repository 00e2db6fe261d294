import { Badge, createTheme, Modal, Drawer, Tooltip } from '@mantine/core';

/** The library's cross has no name of its own. */
const CLOSE = { 'aria-label': 'Close' };

/** Only what needs no variables of its own: those are in global.css. */
export const theme = createTheme({
  cursorType: 'pointer',
  components: {
    // Locking the scroll would insert a `<style>`, which the content security policy refuses.
    Modal: Modal.extend({ defaultProps: { lockScroll: false, centered: true, closeButtonProps: CLOSE } }),
    Drawer: Drawer.extend({ defaultProps: { lockScroll: false, closeButtonProps: CLOSE } }),
    // A state that is cut short says nothing.
    Badge: Badge.extend({ classNames: { root: 'hcp-badge' } }),
    Tooltip: Tooltip.extend({ defaultProps: { withArrow: true } }),
  },
});
