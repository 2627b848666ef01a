//! The program as its users meet it: started, called, killed, asked for help.
