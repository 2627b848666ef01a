export { SocialNetworkCreate } from "./SocialNetworkCreate";
export { SocialNetworkList } from "./SocialNetworkList";
export { SocialNetworkPage } from "./SocialNetworkPage";
